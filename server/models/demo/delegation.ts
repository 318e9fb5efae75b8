import { type DemoPrompt, firstSentence, nameOf, USER, type Utterance } from './prompt.ts';
import { call, type DemoStep, say, think } from './steps.ts';

/** "Ask the reading-list agent to add …": by the tool when it is offered, else by tags where they are followed. */
export function delegate(prompt: DemoPrompt): readonly DemoStep[] | undefined {
  const wanted = delegationIn(prompt.asked);
  if (!wanted) return undefined;
  const canMessage = prompt.request.tools.some(({ name }) => name === 'agents_message');
  const byTool = canMessage && findAll(prompt, 'Available agents you can delegate to:', wanted.names);
  const byTag = findAll(prompt, 'Delegating:', wanted.names);
  if (byTag && (wanted.saysDelegate || !byTool)) return tags(byTag, wanted);
  if (byTool) return messages(prompt, byTool, wanted);
  return canMessage && wanted.saysAgent ? messages(prompt, wanted.names.map(unlisted), wanted) : undefined;
}

/** What the agents it delegated to answered, once they have. */
export function summariseAnswers({ said, persona }: DemoPrompt): readonly DemoStep[] | undefined {
  const since = said.slice(said.findLastIndex(({ asks }) => asks) + 1);
  const given = since.findIndex(({ speaker, text }) => speaker === persona && text.includes('<delegate '));
  if (given < 0) return undefined;
  const answers = since.slice(given).filter(({ speaker, asks }) => speaker !== persona && !asks && speaker !== USER);
  if (answers.length === 0) return [say('I asked, but there is no reply yet.')];
  return [say(`Done. ${answers.map(told).join(' ')}`)];
}

/** An answer that came as a message, to something it asked before. */
export function reportLateAnswer({ said, request }: DemoPrompt): readonly DemoStep[] | undefined {
  const last = said.at(-1);
  if (!last?.asks || last.speaker === USER) return undefined;
  const calls = request.messages.flatMap((message) => (message.role === 'assistant' ? (message.toolCalls ?? []) : []));
  const asked = calls.some(({ name, input }) => name === 'agents_message' && input.includes(`"${last.speaker}"`));
  return asked ? [say(`A reply has arrived. ${told(last)}`)] : undefined;
}

interface DelegationRequest {
  names: string[];
  work: string;
  saysAgent: boolean;
  saysDelegate: boolean;
  isLater: boolean;
}

const ASK = /^\s*(?:please |can you |could you )?(?:ask|tell|have) (.{1,200}?)(?: to |: | about )([\s\S]+)$/i;
const DELEGATE = /^\s*(?:please )?delegate to (.{1,200}?): ([\s\S]+)$/i;
const LATER = /,? in the background\b/i;

function delegationIn(asked: string): DelegationRequest | undefined {
  const said = asked.replace(LATER, '');
  const delegated = DELEGATE.exec(said);
  const [, targets = '', work = ''] = delegated ?? ASK.exec(said) ?? [];
  if (targets === '') return undefined;
  return {
    names: targets.split(/\s*(?:,|&|\band\b)\s*/).map((name) => name.replace(/^(?:the |@)+|\s+agents?$/gi, '')),
    work: work.trim(),
    saysAgent: /\bagents?$/i.test(targets),
    saysDelegate: delegated !== null,
    isLater: LATER.test(asked),
  };
}

interface ListedAgent {
  agentId: string;
  name: string;
}

/** Undefined unless all of them are listed. */
function findAll(prompt: DemoPrompt, heading: string, names: readonly string[]): ListedAgent[] | undefined {
  const known = listedUnder(heading, prompt.request.system);
  const found = names.map((name) => find(known, name)).filter((one) => one !== undefined);
  return found.length === names.length ? found : undefined;
}

/** `- agent-id: Display Name - what it does`, as the system prompt lists them. */
function listedUnder(heading: string, system: string): ListedAgent[] {
  const section = system.split(`\n\n${heading}\n`)[1]?.split('\n\n')[0] ?? '';
  return [...section.matchAll(/^- ([\w./-]+)(?:: (.*?)(?: - .*)?)?$/gm)].map(([, agentId = '', name = agentId]) => ({
    agentId,
    name,
  }));
}

function find(known: readonly ListedAgent[], wanted: string): ListedAgent | undefined {
  const name = wanted.toLowerCase();
  return known.find(({ agentId, name: shown }) => {
    const id = agentId.toLowerCase();
    return id === name || id.endsWith(`/${name}`) || shown.toLowerCase() === name || id === name.replace(/\s+/g, '-');
  });
}

function unlisted(name: string): ListedAgent {
  return { agentId: name.toLowerCase().replace(/\s+/g, '-'), name };
}

function messages(prompt: DemoPrompt, to: readonly ListedAgent[], { work, isLater }: DelegationRequest): DemoStep[] {
  const mode = isLater ? { mode: 'async' } : {};
  return [
    think(`This is for ${to.map(({ name }) => name).join(' and ')}.`),
    ...to.map(({ agentId }, at) => call(prompt, 'agents_message', { agentId, content: work, ...mode }, at)),
  ];
}

function tags(to: readonly ListedAgent[], { work }: DelegationRequest): DemoStep[] {
  const task = work.replace(/&/g, '&amp;').replace(/</g, '&lt;');
  const lines = to.map(({ agentId }) => `<delegate to="${agentId}">${task}</delegate>`);
  return [say(`I'll delegate this to ${to.map(({ name }) => name).join(' and ')}.`, '', ...lines)];
}

function told({ speaker, text }: Utterance): string {
  return `${nameOf(speaker)} says: “${firstSentence(text)}”`;
}
