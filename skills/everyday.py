"""What anybody may ask any agent: the questions and the words against which a skill's fit is measured.

A cosine or a shared word says little by itself. An embedding model gives two unrelated texts 0.75 as readily as another gives
them 0.1, and how rare a word is can not be told from an agent's three skills. Both are judged against the same fixed everyday
questions instead, so that a skill fits alike in a catalogue of one and of a hundred. They are of the office, of the counter and
of small talk, none needs a skill, and most are in the languages whose common words are listed too.
"""

# Changing one changes what every score means: measure again (`python -m benchmarks.skills`).
QUESTIONS = (
    "How do I change my address in the personnel file?",
    "The mouse of my computer no longer works",
    "What time does the meeting with the supplier begin?",
    "Can you send me the invoice again?",
    "Where can I park my car near the building?",
    "Who is responsible for the warehouse?",
    "I would like to return an item that arrived broken",
    "Do I have to work on the bank holiday?",
    "How much does shipping to Austria cost?",
    "My colleague left the company, who takes over her customers?",
    "Please delete my account",
    "What does this error on my screen mean?",
    "I need access to the shared folder of my department",
    "Hi there",
    "Thank you very much, have a nice day",
    "No, that is not what I meant",
    "What is the phone number of reception?",
    "How do I get a certificate of employment?",
    "The customer has not paid for three months",
    "Can I have the day off on Friday?",
    "When was the contract with this client signed?",
    "The internet is slow today",
    "What do you know about me?",
    "Which products are out of stock?",
    "How do I update the software on my phone?",
    "Is lunch free for interns?",
    "I have a question about my bonus",
    "We met last year at the trade fair",
    "Please remind me of the rule for gifts from suppliers",
    "Can you explain that again in simple words?",
    "Where is the first aid kit?",
    "The delivery is two weeks late and the customer is angry",
    "Wie ändere ich meine Bankverbindung?",
    "Die Maus an meinem Rechner geht nicht",
    "Wann kommt die Lieferung für den Kunden?",
    "Guten Morgen, ich habe eine Frage",
    "Wer hat den Schlüssel zum Lager?",
    "Comment changer mon adresse ?",
    "Le client n'a pas encore payé la facture",
    "Merci beaucoup",
    "À qui dois-je demander un nouveau téléphone ?",
    "Je ne peux pas ouvrir ce fichier",
    "¿Cómo cambio mi dirección?",
    "El pedido llegó roto",
    "Buenos días, tengo una pregunta",
    "¿Quién es el responsable del almacén?",
    "Necesito acceso a la carpeta del departamento",
    "Come faccio a cambiare il mio indirizzo?",
    "Hoe vraag ik een vrije dag aan?",
    "Como faço para devolver um produto?",
    "Kto zatwierdza urlop?",
    "Wer ist für die Reinigung zuständig?",
    "Der Kunde hat die falsche Ware bekommen",
    "Wie lange dauert der Versand nach Österreich?",
    "Ich bin morgen nicht im Büro",
    "Was bedeutet diese Fehlermeldung?",
    "Kann ich nächste Woche freinehmen?",
    "Wo kann ich parken?",
    "Das stimmt so nicht",
    "Vielen Dank und schönen Tag",
    "Wie bekomme ich ein neues Telefon?",
    "Die Rechnung ist noch nicht bezahlt",
    "Was weißt du über mich?",
    "Où puis-je garer ma voiture ?",
    "La souris de mon ordinateur ne fonctionne plus",
    "Combien coûte la livraison en Suisse ?",
    "Ce n'est pas ce que je voulais dire",
    "Qui est responsable de l'entrepôt ?",
    "Puis-je prendre mon vendredi ?",
    "Le client a reçu le mauvais produit",
    "Que veut dire ce message d'erreur ?",
    "Je voudrais une attestation de travail",
    "Que sais-tu de moi ?",
    "À quelle heure commence la réunion ?",
    "Supprimez mon compte, s'il vous plaît",
    "¿Dónde puedo aparcar?",
    "El ratón de mi ordenador no funciona",
    "¿Cuánto cuesta el envío a Portugal?",
    "No era eso lo que quería decir",
    "El cliente todavía no ha pagado la factura",
    "¿Puedo tomarme el viernes libre?",
    "¿Qué significa este mensaje de error?",
    "Quiero un certificado de trabajo",
    "¿Qué sabes de mí?",
    "¿A qué hora empieza la reunión?",
    "Por favor, borra mi cuenta",
    "¿Quién se encarga de la limpieza?",
)


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


# Words that hold a sentence together; they also tell its language. Nothing is found by them.
COMMON = {
    "en": _words(
        """
        a about after again all also am an and any anybody anyone anything are as at away be because been
        before being below between both but by can cannot come could did do does doing done down each either
        else etc even ever every everything for from get gets getting give given go goes going got had has
        have having he hello her here hers hi him his how however i if in into is it its itself just keep let
        lets like ll long many may maybe me might more most much must my myself need needs neither never no
        none nor not nothing now of off ok on once one only onto or other our ours out over own per please re
        really same say says shall she should since so some somebody something soon such take than thank
        thanks that the their theirs them then there these they thing things this those though three through
        to too two under until up upon us use used user uses using very via want wants was way we well were
        what when where whether which while who whom whose why will with within without would yes yet you your
        yours
        """
    ),
    "de": _words(
        """
        aber alle als am an auch auf aus bei bin bis bitte da damit danke dann das dass dein dem den der des
        die dies diese dieser dir doch du durch ein eine einem einen einer eines er es etwas euch für gibt
        habe haben hat ich ihr im in ist ja je kann kein keine können mach mal man mehr mein meine meinem
        meinen meiner mich mir mit muss nach nein nicht nichts noch nur ob oder ohne sehr sein sich sie sind
        so soll um und uns unser unsere unserem unseren unter viel viele vom von vor wann war warum was weil
        welche welcher wenn wer werden wie will wir wird wo zu zum zur über
        """
    ),
    "fr": _words(
        """
        au aux avec ce ces cette combien comme comment dans de des du elle en est et faire fais fait il je la
        le les leur lui ma mais me merci mes moi mon ne nos notre nous on ou où par pas plus pour pourquoi
        quand que quel quelle quelles qui quoi sa sans se ses si son sont sur ta te toi ton tu un une vos
        votre vous à été être
        """
    ),
    "es": _words(
        """
        al algo como con cual cuando cuánto cuántos de del desde donde dónde el ella en entre era es esta este
        esto está favor gracias ha hay haz la las lo los me mi mis muy más nada no nos nuestra nuestro o para
        pero por porque puedo que quién qué se ser si sin sobre son su sus te tengo tu un una unos y ya yo
        """
    ),
}
# Nor by what is asked of everybody, in the language most descriptions are written in.
ASKING = _words(
    """
    ask asked best find good help include including know look made make new see show skill skills start task tasks
    tell told work working works
    """
)
