/** German for the agents and templates that come with Parley, by their English words. What a person edits is not translated. */
export const deBuiltIn: Readonly<Record<string, string>> = {
  'General assistant': 'Allgemeiner Assistent',
  Reviewer: 'Prüfer',
  Writer: 'Texter',
  Researcher: 'Rechercheur',
  Planner: 'Planer',
  'Answers questions and helps with everyday tasks.': 'Beantwortet Fragen und hilft bei alltäglichen Aufgaben.',
  'What can I help you with?': 'Wobei kann ich dir helfen?',
  'Splits work into parts, delegates each to the best agent and combines the results.':
    'Teilt Arbeit auf, delegiert jeden Teil an den passenden Agenten und führt die Ergebnisse zusammen.',
  "Tell me what you want done. I'll find the right agents for it.":
    'Sag mir, was du erledigt haben möchtest. Ich finde die passenden Agenten dafür.',
  'Reviews text, plans or code and suggests changes.': 'Prüft Texte, Pläne oder Code und schlägt Änderungen vor.',
  "Show me what you'd like reviewed.": 'Zeig mir, was ich prüfen soll.',
  'Drafts and edits text in the tone you ask for.': 'Schreibt und überarbeitet Texte im gewünschten Ton.',
  'What are we writing, and for whom?': 'Was schreiben wir, und für wen?',
  'Researches a question and weighs the evidence.': 'Recherchiert eine Frage und wägt die Belege ab.',
  'What would you like to know?': 'Was möchtest du wissen?',
  'Turns a goal into ordered steps with owners and dates.':
    'Macht aus einem Ziel geordnete Schritte mit Zuständigen und Terminen.',
  'What do you want to get done, and by when?': 'Was möchtest du erreichen, und bis wann?',
  'Creates agents and teams with you: describe what you need, edit the draft, confirm.':
    'Erstellt Agenten und Teams mit dir: beschreiben, Entwurf bearbeiten, bestätigen.',
  "What should your new agent or team do? Describe it in your own words and I'll show you a draft you can edit.":
    'Was soll dein neuer Agent oder dein neues Team tun? Beschreibe es in deinen Worten, und ich zeige dir einen Entwurf, den du bearbeiten kannst.',
  'A general assistant that uses an OpenAI model.': 'Ein allgemeiner Assistent mit einem Modell von OpenAI.',
  'A general assistant that uses an Anthropic model.': 'Ein allgemeiner Assistent mit einem Modell von Anthropic.',
  'A general assistant that uses the model server at OPENAI_BASE_URL.':
    'Ein allgemeiner Assistent mit dem Modellserver unter OPENAI_BASE_URL.',
  'A general assistant that uses a local Ollama model.':
    'Ein allgemeiner Assistent mit einem lokalen Modell von Ollama.',
  'Works in its workspace on this machine, and asks before it acts.':
    'Arbeitet auf diesem Rechner in seinem Arbeitsordner und fragt, bevor er etwas ausführt oder ändert.',
  'Works in its workspace on this machine, and does not ask before it acts.':
    'Arbeitet auf diesem Rechner in seinem Arbeitsordner und fragt nicht, bevor er etwas ausführt oder ändert.',
  "Your first contact: knows today's schedule and which agent to ask.":
    'Deine erste Anlaufstelle: kennt den Tagesplan und weiß, welchen Agenten man fragt.',
  'Schedules, moves and protects your time.': 'Plant, verschiebt und schützt deine Zeit.',
  'Reviews proposals and points out what is missing.': 'Prüft Vorschläge und zeigt, was fehlt.',
  'Hello! I know what’s on today and who can help with it. Try “what’s on today?”, “ask the scheduler to remind me to call the printers”, or start a message with @reviewer. This is a demo: I answer offline, from a script.':
    'Hallo! Ich weiß, was heute ansteht und wer dabei helfen kann. Probiere „what’s on today?“, „ask the scheduler to remind me to call the printers“ oder beginne eine Nachricht mit @reviewer. Das ist eine Demo: Ich antworte offline, nach Skript.',
  'Tell me what has to fit and what can move. Try “clear my afternoon” or “remind me to call the printers”. I ask before I save anything.':
    'Sag mir, was untergebracht werden muss und was sich verschieben lässt. Probiere „clear my afternoon“ oder „remind me to call the printers“. Ich frage, bevor ich etwas speichere.',
  'Show me a plan, a text or another agent’s answer, and I’ll tell you what I’d change.':
    'Zeig mir einen Plan, einen Text oder die Antwort eines anderen Agenten, und ich sage dir, was ich ändern würde.',
};
