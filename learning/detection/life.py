# ruff: noqa: E501 - one pattern a line, so that the table can be read down
"""What people tell of their lives and of what they work with, in passing: home, family, work, pastimes, devices.

Only what they say of themselves, in so many words, and never more of another person than that there is one. What is kept
are the author's own words, up to where the thought ends.
"""

from learning.choices import MemoryKind

from .pattern import Pattern, frame, p
from .vocabulary import HOW, I_AM, NAME_WORD, POINTING

# Some more words of the same thought: up to a comma, a dash, or a word that begins the next one.
_JOINS = r"(?:and|but|so|because|since|though|although|while|when|which|who|'cause|’cause|cause|cuz|coz|as|if|i|we|they|lately|recently|just|not)"
_NEXT = rf"(?:{_JOINS}|it|this|that|these|those|hope)"
_MORE = rf"(?:[ ](?!{_NEXT}\b)[\w'’&+/#.-]*[\w+#]){{0,8}}"
_SOME = rf"(?:[ ](?!{_NEXT}\b)[\w'’&+/#.-]*[\w+#]){{1,8}}"
_END = rf"(?=\s*(?:$|[,.;:!)(…–—-])|\s+{_JOINS}\b)"
_NAMED_OR_SO = rf"(?:{NAME_WORD}|(?:[\w-]+ )?(?:city|town|village|farm|family|suburb|island|country|coast))"
_ASIDE = rf"(?:{_END}|(?= (?:in|at|with|called|named|last|this|a|about|from|near|for|on|since|together|two|three|\d+)\b))"  # where, when, with whom
_DOING = (
    r"(?:acting|archery|badminton|baking|ballet|baseball|basketball|biking|bird[- ]?watching|board games|bouldering|bowling|boxing|camping"
    r"|canoeing|ceramics|chess|climbing|coding|comics|cooking|cricket|crocheting|cycling|dance|dancing|diving|drawing|embroidery|fencing|fishing"
    r"|football|gardening|golf|gymnastics|hiking|history|hockey|horse(?:back)?[- ]?riding|jogging|judo|karate|kayaking|knitting|martial arts"
    r"|meditating|meditation|mountaineering|music|origami|painting|photography|pilates|poetry|pottery|puzzles|quilting|reading|rock climbing"
    r"|rowing|rugby|running|sailing|sculpting|sewing|singing|skateboarding|skating|skiing|sketching|snowboarding|soccer|surfing|swimming|tennis"
    r"|theat(?:er|re)|travell?ing|triathlons?|video games|volleyball|volunteering|walking|woodworking|writing|yoga)"
)
_PLAYED = (
    r"(?:(?:the |an? )?(?:acoustic |electric |bass |classical )?(?:accordion|banjo|bass|cello|clarinet|drums|flute|guitar|harmonica|harp|keyboard"
    r"|oboe|organ|piano|sax(?:ophone)?|trombone|trumpet|ukulele|viola|violin)|badminton|baseball|basketball|board games|bridge|chess|cricket"
    r"|football|golf|hockey|rugby|soccer|squash|table tennis|tennis|video games|volleyball)"
)
_PET = r"(?:cat|kitty|kittie|dog|pup|pupp(?:y|ie)|kitten|rabbit|bunn(?:y|ie)|hamster|guinea pig|horse|pon(?:y|ie)|parrot|budgie|tortoise|turtle|snake|lizard|gecko|ferret|goldfish|chicken|goat)"
_KIN = r"(?:husband|wife|spouse|partner|fianc[eé]e?|boyfriend|girlfriend|kids?|children|sons?|daughters?|twins|stepson|stepdaughter|baby|grandchildren|grandkids)"
_NUMBER = r"(?:an?|one|two|three|four|five|six|\d)"
_WORKPLACE = r"(?:business|company|start-?up|store|shop|boutique|studio|restaurant|caf[eé]|bakery|salon|gym|agency|firm|practice|clinic|farm|bar|brewery|label|magazine|school|channel|podcast|blog|charity|non-?profit)"
_OWN = rf"(?:(?:my|our|an?)(?: own)?(?: small| little| new| online| local| family)?(?: [\w-]+){{0,2}}? {_WORKPLACE})"
_DEVICE = r"(?:laptop|notebook|macbook(?: pro| air)?|desktop|pc|computer|ibook|imac|iphone|ipad|phone|tablet|chromebook|workstation|printer|monitor|router|server|graphics card|mp3 player)"
_SYSTEM = (
    r"(?:(?i:windows(?: \d+(?:\.\d)?| xp| vista)?|mac ?os(?: x)?|linux|[kxl]?ubuntu|debian|fedora|arch(?: linux)?|gentoo|linux mint|mint|suse|opensuse|centos"
    r"|red hat|android|ios|chrome ?os|gnome(?: \d)?|kde|xfce|lxde|mate|cinnamon)(?: \d\d?\.\d+| \d+)?(?: lts| desktop)?)"
)
_FACT = {"kind": MemoryKind.FACT, "errand": POINTING, "within": True}
_EVENT = {**_FACT, "lasting": False}
_PAST = {**_FACT, "past": True}


LIFE: list[Pattern] = [
    # Home and family.
    p(
        frame(rf"(?:{I_AM}|i come) (?:originally )?from ")
        + rf"(?P<v>(?:the )?{NAME_WORD}(?: {NAME_WORD}){{0,2}}(?:, {NAME_WORD}(?: {NAME_WORD})?)?)"
        + r"(?=\s*(?:$|[,.;!)(]|and\b|but\b|originally\b))",
        "home",
        "says where they come from",
        accept=lambda m: m["v"].split()[0].lower() not in {"the", "monday", "support", "sales", "it", "hr"},
    ),
    p(
        frame(r"i (?:was born|grew up|was raised) (?:in|on|near) ")
        + rf"(?:an? |the )?{_NAMED_OR_SO}"
        + frame(_MORE + _END),
        None,
        "says where they come from",
        **_PAST,
    ),
    p(
        frame(r"i(?:['’]ve| have)? (?:just |recently )?moved (?:here |back )?(?:from|to) ")
        + rf"(?:{NAME_WORD}|(?:my|our|an?) (?:[\w-]+ )?(?:house|home|flat|apartment|city|town|village|country|place|office)(?: country| town)?)"
        + frame(_MORE + _END),
        None,
        "tells of a move",
        confidence=0.7,
        **_EVENT,
    ),
    p(
        frame(
            rf"(?:i have|i['’]ve got|we have|we['’]ve got) (?:my |our )?(?:{_NUMBER} )?(?:\w+ )?{_KIN}\b(?: and (?:{_NUMBER} )?{_KIN}\b)?"
        )
        + frame(_END),
        None,
        "tells of their family",
        confidence=0.7,
        **_FACT,
    ),
    p(
        frame(rf"{I_AM}{HOW} (?:lucky|blessed|grateful|thankful) to have my {_KIN}(?: and (?:my )?{_KIN})?\b"),
        None,
        "tells of their family",
        confidence=0.6,
        **_FACT,
    ),
    p(
        frame(
            rf"{I_AM}{HOW} (?:an? )?(?:single |proud |working |expecting |new )?(?:married|divorced|widowed|engaged|mom|mum|mother|dad|father|parent|grandmother|grandfather)"
        )
        + frame(rf"(?: (?:of|to|with){_SOME})?" + _END),
        None,
        "tells of their family",
        **_FACT,
    ),
    p(
        frame(
            r"(?:i['’]ve|i have|we['’]ve|we have) been (?:married|together|engaged|living (?:here|together|in [\w ]+?)) (?:for )?(?:\w+ )?(?:years?|months?|\d+ (?:years?|months?))"
        )
        + frame(_MORE + _END),
        None,
        "tells of their family",
        **_FACT,
    ),
    # Animals.
    p(
        frame(
            rf"(?:i|we)(?:['’]ve got| have(?: got)?| own| keep| adopted| got) (?:(?:{_NUMBER}|another) )?(?:[\w-]+ ){{0,2}}?{_PET}s?(?: and (?:{_NUMBER} )?(?:[\w-]+ )?{_PET}s?)?"
        )
        + rf"(?: (?:named|called) {NAME_WORD}(?:(?:,| and|, and) {NAME_WORD})*)?"
        + frame(r"(?: too)?" + _END),
        None,
        "tells of their animals",
        **_FACT,
    ),
    p(
        frame(rf"(?:my|our) (?:[\w-]+ )?{_PET}(?:['’]s name is|s? (?:is|are) (?:called|named)) ")
        + rf"{NAME_WORD}(?:(?:,| and|, and) {NAME_WORD})*",
        None,
        "tells of their animals",
        **_FACT,
    ),
    # Work and learning.
    p(
        frame(
            r"i (?:work|teach) (?:full[- ]time |part[- ]time )?(?:at|for|with) (?!the (?:moment|time)\b|now\b|home\b|me\b|you\b)"
        )
        + frame(r"[\w'’&.-]+" + _MORE + _END),
        None,
        "tells where they work",
        **_FACT,
    ),
    p(
        frame(rf"(?:i|we) (?:run|own|manage|started|opened|launched|founded|co-?founded)(?: up)? {_OWN}\b{_ASIDE}")
        + frame(_MORE + _END),
        None,
        "tells of their own business",
        **_EVENT,
    ),
    p(
        frame(rf"{I_AM}{HOW} (?:running|starting|opening|launching|building) {_OWN}\b") + frame(_END),
        None,
        "tells of their own business",
        confidence=0.7,
        **_FACT,
    ),
    p(
        frame(
            r"(?:i (?:also )?(?:just |recently )?|unfortunately,? i (?:also )?)?(?:lost|quit|left|started|got|changed) (?:my|an?)(?: new| old| temp| temporary| part[- ]time| full[- ]time| day)? job\b(?: as an? [\w-]+(?: [\w-]+)?)?"
        )
        + frame(_MORE + _END),
        None,
        "tells of a change at work",
        **_EVENT,
    ),
    p(
        frame(r"i(?:['’]ve)? (?:just |recently )?(?:got|been) promoted\b") + frame(_MORE + _END),
        None,
        "tells of a change at work",
        **_EVENT,
    ),
    p(
        frame(
            rf"(?:{I_AM}{HOW} (?:studying|majoring in|learning|training (?:to be|as)|taking (?:an? )?(?:class|classes|course|lessons) in)|i study|i major in|i teach) (?!(?:my|him|her|them|how|about|from|as|to|an?|lots?|tons|so|more|much|you|me|it|all)\b)[\w'’-]+"
        )
        + frame(_MORE + _END),
        None,
        "tells what they learn or teach",
        **_FACT,
    ),
    p(
        frame(
            r"i(?:['’]ve| have)? (?:just |recently )?(?:graduated (?:from|in|with)|got my (?:degree|diploma|driving licen[cs]e|driver['’]s licen[cs]e|master['’]?s|phd)|(?:have|hold) an? (?:degree|diploma|master['’]?s|phd|bachelor['’]?s))"
        )
        + frame(_MORE + _END),
        None,
        "tells what they learned",
        **_EVENT,
    ),
    p(
        frame(
            rf"(?:i|{I_AM}|i['’]ve been|i have been|(?:{I_AM} )?(?:definitely |still )?carrying on) volunteer(?:ing)?(?: (?:at|for|with|in|as)| (?:every|on)) [\w'’&-]+"
        )
        + frame(_MORE + _END),
        None,
        "tells where they volunteer",
        **_FACT,
    ),
    p(
        frame(
            r"i(?:['’]ve| have)? (?:just |recently )?(?:joined|signed up for) (?!you|your|this|that|the waiting|the call|the queue)(?:an? |the )(?:[\w'’&-]+ ){1,4}"
        )
        + frame(r"(?:class|course|club|team|group|band|choir|gym|society|lessons|programme|program)\b")
        + frame(_END),
        None,
        "tells what they take part in",
        confidence=0.7,
        **_EVENT,
    ),
    # Pastimes.
    p(frame(rf"i{HOW} (?:also )?play {_PLAYED}") + frame(_MORE + _END), None, "tells of a pastime", **_FACT),
    p(
        frame(
            rf"i(?:['’]ve| have)? (?:started|took up|been) (?:playing )?(?:(?<=playing ){_PLAYED}|{_DOING}) (?=(?:about |around |some |for |since ))[\w'’ -]{{2,40}}?(?:(?:years?|months?) ago|years?|months?|was a (?:kid|child|teenager)|was young)\b"
        ),
        None,
        "tells of a pastime",
        **_EVENT,
    ),
    p(
        frame(
            rf"(?:i{HOW} (?:also )?(?:love|enjoy|like|adore|do|practi[sc]e|teach)|we (?:all |both )?(?:love|enjoy)|{I_AM}{HOW} (?:also )?(?:into|a (?:big|huge|great) fan of|passionate about|crazy about|obsessed with|keen on|fond of|good at)|i(?:['’]ve| have) (?:always )?(?:been into|loved|enjoyed|had an? (?:love|passion) (?:for|of))) (?:to go |going |playing |all kinds of )?{_DOING}\b"
        )
        + frame(_MORE + _END),
        None,
        "tells of a pastime",
        **_FACT,
    ),
    p(
        frame(rf"{I_AM}{HOW} a (?:(?:big|huge|great) )?fan of (?!(?:you|your|all)\b)[\w'’-]+") + frame(_MORE + _END),
        None,
        "tells what they like",
        confidence=0.7,
        **_FACT,
    ),
    p(
        frame(
            rf"(?:i|we) (?:all |often |usually )?go {_DOING} (?:every|most|each|on|twice|once a|in the|with my)[\w'’ -]{{2,40}}"
        )
        + frame(_END),
        None,
        "tells of a pastime",
        **_FACT,
    ),
    p(
        frame(
            r"(?:my|our) (?:hobb(?:y|ies)|pastimes?|passions?|favou?rite (?:hobby|pastime|sport)) (?:is|are|include[sd]?) (?!to\b)[\w'’-]+"
        )
        + frame(rf"(?:(?:, | and |, and )?(?: ?(?!{_NEXT}\b)[\w'’-]+)){{0,8}}" + _END),
        None,
        "tells of a pastime",
        **_FACT,
    ),
    p(
        frame(
            r"i (?:collect|breed|restore|brew|garden) (?!(?:it|them|this|that|my (?:order|item|package|parcel))\b)[\w'’-]+"
        )
        + frame(_MORE + _END),
        None,
        "tells of a pastime",
        confidence=0.7,
        **_FACT,
    ),
    # What they work with, and which plan they are on.
    p(
        frame(
            rf"(?:my|our) (?:work |home |main |personal |new )?{_DEVICE} (?:is|runs|has|uses) (?!(?:not|broken|slow|dead|down|stuck|frozen|very|so|too|on|off|here|there|still|giving|making|making|doing|getting|being|having|going|no|in|at)\b)[\w'’\".-]+"
        )
        + frame(_MORE + _END),
        None,
        "tells which device they use",
        confidence=0.7,
        **_FACT,
    ),
    p(
        frame(rf"(?:i|we)(?:['’]ve got| have| use| own| run) (?:an? |two |three )(?:[\w.\"”'’/-]+ ){{1,6}}?{_DEVICE}\b")
        + frame(r"(?: (?:with|running|on)" + _SOME + ")?" + _END),
        None,
        "tells which device they use",
        confidence=0.7,
        accept=lambda m: _says_which(m),
        **_FACT,
    ),
    p(
        frame(rf"(?:i|we){HOW} (?:use|run|prefer|work (?:on|with)) (?:the )?")
        + _SYSTEM
        + frame(rf"(?: (?:on|at|for|with) (?:my|our|the|an?|this|work|home|all){_MORE})?")
        + frame(_END),
        None,
        "tells which system they use",
        confidence=0.7,
        kind=MemoryKind.FACT,
        within=True,
        errand=POINTING,
    ),
    p(
        frame(rf"{I_AM}{HOW} an? ") + rf"(?P<v>{_SYSTEM})" + frame(r" user\b"),
        "system",
        "says which system they use",
        confidence=0.7,
    ),
    p(
        frame(rf"{I_AM}{HOW} (?:running|using|on) ") + _SYSTEM + frame(_END),
        None,
        "tells which system they use",
        confidence=0.6,
        **_FACT,
    ),
    p(
        frame(
            rf"(?:(?:{I_AM}{HOW}|we(?:['’]re| are)) (?:an? |on (?:the|a|your|our) )|(?:i|we) have (?:the|an?) |(?:my|our) (?:plan|membership|subscription|tier) is (?:the )?)(?P<v>bronze|silver|gold|platinum|diamond|basic|free|starter|standard|regular|plus|pro|premium|team|business|professional|enterprise|family|student)(?: (?:level|tier|status|account|loyalty))? ?(?:member(?:ship)?|plan|subscriber|subscription|tier|customer|status|account)"
            + _END
        ),
        "plan",
        "says which plan they are on",
    ),
    p(
        frame(rf"{I_AM} an? (?P<v>bronze|silver|gold|platinum)(?: one)?" + _END),
        "plan",
        "says which plan they are on",
        confidence=0.6,
    ),
]


def _says_which(found) -> bool:
    """A device with a name or a number: "a 15.4\" wxga intel laptop", not "a new laptop"."""
    return any(word[:1].isdigit() or word[:1].isupper() for word in found[0].split()[2:]) or "intel" in found[0].lower()
