# ruff: noqa: E501 - one pattern a line, so that the table can be read down
"""Words that the patterns are made of: regular expressions without flags. `(?P<v>...)` is the value that is kept."""

import re

I_AM = r"(?:i['’]?m|i am|im)"
HOW = r"(?:\s+(?:really|just|actually|usually|generally|normally|always|still|now|mostly|personally|also|very|quite|severely|highly|mildly|deathly|strictly|currently))?"
NAME_WORD = r"[A-ZÀ-ÖØ-ÞĀ-Ž][\w'’-]*"
PLACE = rf"(?P<v>(?:the )?{NAME_WORD}\.?(?:[ ]{NAME_WORD}|[ ](?:de|da|do|la|le|am|an der|upon|of)[ ]{NAME_WORD}|,[ ]{NAME_WORD}){{0,3}})"
SIZE = (
    r"(?P<v>(?:(?:eu|us|uk|it|fr)\s?)?(?:\d{1,3}(?:[.,]5|\s?1/2|½)?(?:\s?(?:x|/)\s?\d{2,3})?|[x]{0,4}[sl]|m|(?:extra[- ])?(?:small|large)|medium)"
    r"(?:\s?(?:eu|us|uk|regular|petite|wide|narrow|tall))?)(?![\w%$€£-]|[.,]\d)"
)
GARMENTS = {
    **dict.fromkeys(("shoe", "boot", "sneaker", "trainer", "sandal", "heel"), "shoe"),
    **dict.fromkeys(("trouser", "pant", "jean", "slack"), "trouser"),
    **dict.fromkeys(("shirt", "t-shirt", "top", "blouse"), "shirt"),
    **{
        name: name
        for name in ("ring", "hat", "glove", "dress", "jacket", "coat", "bra", "waist", "collar", "suit", "skirt")
    },
}
GARMENT = "|".join(sorted(GARMENTS, key=len, reverse=True))
IN_GARMENT = rf"(?: (?:in|for) (?:(?:most|my|all|of my) )*(?P<garment>{GARMENT})(?:es|s)?\b)"
CHANNEL = r"(?P<v>e-?mails?|(?:the )?phone|phone calls?|calls?|texts?|text messages?|sms|chat|whatsapp|slack|teams|letters?|post|signal|telegram)"
OTHER_CHANNEL = (
    rf"(?:\s+(?:over|to|rather than|instead of|than|and not|not)\s+(?:by )?{CHANNEL.replace('?P<v>', '?:')})"
)
LANGUAGE = (
    r"(?P<v>English|German|French|Spanish|Portuguese|Italian|Dutch|Polish|Czech|Slovak|Danish|Swedish|Norwegian|Finnish|Greek"
    r"|Turkish|Russian|Ukrainian|Romanian|Hungarian|Bulgarian|Croatian|Serbian|Arabic|Hebrew|Hindi|Urdu|Bengali|Tamil|Chinese"
    r"|Mandarin|Cantonese|Japanese|Korean|Vietnamese|Thai|Indonesian|Malay|Swahili|Catalan|Welsh|Irish)"
)
JOB = (
    r"(?:[\w-]+ ){0,3}(?:accountant|administrator|analyst|architect|artist|assistant|attorney|auditor|baker|barista|bookkeeper|buyer"
    r"|carpenter|chef|clerk|coach|consultant|controller|cook|coordinator|counsell?or|dentist|designer|developer|director|doctor|driver"
    r"|economist|editor|electrician|engineer|freelancer|founder|gardener|geologist|intern|journalist|lawyer|lecturer|librarian"
    r"|machinist|manager|mechanic|midwife|musician|nurse|officer|paralegal|paramedic|pharmacist|photographer|physician|physicist"
    r"|pilot|planner|plumber|principal|producer|professor|programmer|psychologist|receptionist|recruiter|representative|researcher"
    r"|scientist|secretary|specialist|strategist|supervisor|surgeon|sysadmin|teacher|technician|therapist|trainer|translator"
    r"|tutor|underwriter|vet|veterinarian|waiter|waitress|welder|writer|lead|cto|ceo|cfo|coo|vp [\w ]{2,20}|head of [\w ]{2,20})"
)
TEAM = r"(?P<v>[\w&/-]{2,20}(?: [\w&/-]{2,20}){0,2}?)"
DEPARTMENT = (
    r"(?i:(?P<v>(?:IT|HR|R&D|human resources|accounting|accounts|finance|sales(?: ops)?|marketing|legal|engineering|(?:customer )?support|operations"
    r"|procurement|purchasing|logistics|payroll|product|design|research|security|compliance|facilities|communications|data|quality)))"
)
REST = r"(?P<rest>[^\x7f]{2,160})"
REPLIES = r"(?:replies|answers?|responses?|messages|e-?mails|explanations?|summaries|reply|response)"
LENGTH = r"(?:very |really |more )?(?:short(?:er)?|brief(?:er)?|concise|compact|terse|long(?:er)?|detailed|thorough)"
STYLE = r"(?:very |more |less )?(?:formal|informal|simple|plain|technical|friendly|direct|polite)"
ITEM = r"(?!(?:and|or|but|so)\b)[a-z][a-z-]+"
ALLERGEN = rf"(?P<v>{ITEM}(?: {ITEM})?(?:(?:, | and | or |, and ){ITEM}){{0,4}})"
EATING = r"(?P<v>vegetarian|vegan|pescatarian|flexitarian|gluten[- ]free|lactose[- ]intolerant|c(?:o)?eliac|diabetic|halal|kosher|keto|dairy[- ]free)"

# Words that tie a sentence to the errand at hand.
ERRAND = re.compile(
    r"\b(?:this|that|these|those|it|its|one|ones|here|there|same|order(?:s|ed)?|reservations?|bookings?|flights?|refund\w*|return\w*"
    r"|exchang\w*|tickets?|payments?|paid|items?|deliver\w*|shipments?|packages?|carts?|tracking|invoices?|gift card|credit card"
    r"|cancel\w*|upgrade|option|available|instead|original|both|either|all of|you(?:r|['’]re)?)\b|#\s?\w*\d",
    re.IGNORECASE,
)
POINTING = re.compile(r"\b(?:this|that|these|those|it|one|ones|same|you(?:r|['’]re)?)\b", re.IGNORECASE)
