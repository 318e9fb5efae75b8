import type { RecordedRequest } from '../harness/scripted-provider.ts';
import { reasoning, type Script, text } from '../harness/scripted-script.ts';
import { ANSWERS } from './demo-texts.ts';

const USAGE = { input: 3412, output: 480, cached: 2048 };

const QUESTION = {
  question: 'For how many people, and at what time?',
  fields: [
    { name: 'people', label: 'People', type: 'number', required: true },
    { name: 'time', label: 'Time', type: 'choice', options: ['18:30', '19:00', '20:00'], required: true },
    { name: 'outside', label: 'Outside, if the weather is good', type: 'boolean' },
    { name: 'notes', label: 'Notes', type: 'text' },
  ],
};

/** What the agents of the screenshots say: the first word of a message chooses. */
export function play({ body, said }: RecordedRequest, url: string): Script {
  const messages = body.messages as { role: string; content: unknown }[];
  const isAfterTool = messages.at(-1)?.role === 'tool';
  const asked = messages.findLast(({ role }) => role === 'user');
  const words = typeof asked?.content === 'string' ? asked.content : JSON.stringify(asked?.content ?? said);
  const verb = /\b(rich|delegate|languages|approve|question|nested|fail|paste|tools|lists|draft|stream):/.exec(
    words,
  )?.[1];
  return { usage: USAGE, ...scriptFor(verb, isAfterTool, String(body.model), words, url) };
}

function scriptFor(verb: string | undefined, isAfterTool: boolean, model: string, words: string, url: string): Script {
  if (words.includes('[The agents you asked')) return { steps: text(ANSWERS.summary) };
  if (model === 'model-of-team/coder' && verb === undefined && words.includes('clean')) verb = 'approve';
  switch (verb) {
    case 'rich':
      return {
        steps: [
          ...reasoning('The totals come from three places.\n\nI should show the code first.'),
          ...text(ANSWERS.rich),
        ],
      };
    case 'delegate':
      return { steps: text(ANSWERS.delegate) };
    case 'languages':
      return { steps: text(ANSWERS.languages) };
    case 'approve':
      return isAfterTool
        ? { steps: text('Done.') }
        : {
            steps: [
              { kind: 'text', text: 'I will look at what is there, then remove it.' },
              call('bash', { command: ANSWERS.command }),
            ],
          };
    case 'question':
      return isAfterTool ? { steps: text('Thank you.') } : { steps: [call('ask_user', QUESTION)] };
    case 'nested':
      return isAfterTool
        ? { steps: text('Done.') }
        : {
            steps: [
              call('agents_message', {
                agentId: 'team/coder',
                content: 'Please clean the build folder',
                session: 'create',
              }),
            ],
          };
    case 'fail':
      return {
        status: 401,
        body: '{"error":{"message":"Incorrect API key provided: sk-proj-****7f2a. You can find your API key at https://platform.example.com/account/api-keys.","type":"invalid_request_error","code":"invalid_api_key"}}',
      };
    case 'paste':
      return { steps: text(ANSWERS.short) };
    case 'tools':
      return isAfterTool
        ? { steps: text('Two things are left: **call the printers** and the invoice.') }
        : {
            steps: [
              call('todo_add', { title: 'call the printers' }),
              call('todo_add', { title: 'send the invoice' }),
              call('todo_list', {}),
              call('nonsense_tool', {}),
            ],
          };
    case 'lists':
      return { steps: text(ANSWERS.lists) };
    case 'draft':
      return isAfterTool
        ? { steps: text('Here is a first draft. Should it also warn you about storms?') }
        : { steps: [call('builder_draft', { definition: draft(url) })] };
    case 'stream':
      return { steps: [...reasoning('Let me see what there is.'), ...text(ANSWERS.streaming), { kind: 'stall' }] };
    default:
      return { steps: text(ANSWERS.short) };
  }
}

function call(name: string, input: object) {
  return { kind: 'toolCall' as const, name, input: JSON.stringify(input) };
}

function draft(url: string): object {
  return {
    agentId: 'weather',
    displayName: 'Weather watcher',
    description: 'Looks at the forecast every morning and says what to wear.',
    systemPrompt: 'You watch the weather. Be brief.',
    chat: { provider: 'openai-compatible', model: 'model-of-builder', baseUrl: `${url}/v1` },
    toolAllowlist: ['web_fetch'],
  };
}
