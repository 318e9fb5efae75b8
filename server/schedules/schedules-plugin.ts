import { z } from 'zod';
import { AgentId, Id, ScheduleName } from '../../contract/names.ts';
import { CreateSchedule, type Schedule } from '../../contract/schedules.ts';
import { defineTool } from '../tools/define-tool.ts';
import { commandOf, type Plugin } from '../tools/plugin.ts';
import { skillPathOf } from '../tools/skills.ts';
import type { Tool, ToolContext } from '../tools/tool.ts';
import type { Schedules } from './schedules.ts';

/** Schedules of the person on whose behalf the turn runs. Only the person lets one be made or deleted, each time. */
export function schedulesPlugin(schedules: Schedules): Plugin {
  return {
    id: 'schedules',
    description: 'Send messages to sessions at a set time or regularly.',
    tools: [schedulesList(schedules), schedulesCreate(schedules), schedulesDelete(schedules)],
    skillPath: skillPathOf('schedules'),
    command: commandOf('schedules'),
  };
}

const source = { kind: 'built-in', id: 'schedules' } as const;

function schedulesList(schedules: Schedules): Tool {
  return defineTool(
    {
      name: 'schedules_list',
      description: 'List the schedules of the user: messages that are sent at a set time or regularly.',
      input: z.strictObject({}),
      capabilities: ['schedules.read'],
      risk: 'read',
      source,
      operation: 'list',
    },
    async (_, context) => JSON.stringify({ schedules: (await schedules.list(context.owner)).map(describe) }),
  );
}

const fields = CreateSchedule.shape;

const NewSchedule = z.strictObject({
  name: ScheduleName.describe('Short and unique'),
  content: fields.content.describe('The message that is sent each time; the agent that answers sees nothing else'),
  when: fields.when,
  here: z.boolean().default(false).describe('Send to this conversation instead of beginning a new one each time'),
  agentId: AgentId.optional().describe('Who answers; default: you'),
  timeZone: fields.timeZone,
  runs: z.int().min(1).max(1_000_000).optional().describe('How many times; default: without end'),
});

function schedulesCreate(schedules: Schedules): Tool {
  return defineTool(
    {
      name: 'schedules_create',
      description:
        'Make a schedule: a message that is sent at a set time or regularly, for the user. The user is asked first and sees all of it.',
      input: NewSchedule,
      capabilities: ['schedules.write'],
      risk: 'write',
      source,
      operation: 'create',
      alwaysAsks: true,
      preview: async ({ when, timeZone }) => `Next: ${schedules.preview(when, timeZone).next.slice(0, 3).join(', ')}`,
    },
    async (input, context) => JSON.stringify(describe(await schedules.create(context.owner, toWanted(input, context)))),
  );
}

function toWanted(input: z.output<typeof NewSchedule>, { sessionId, agentId }: ToolContext): CreateSchedule {
  const { here, runs, agentId: speaker, ...given } = input;
  return CreateSchedule.parse({
    ...given,
    sessionId: here ? sessionId : null,
    agentId: speaker ?? agentId,
    runsLeft: runs ?? null,
  });
}

function schedulesDelete(schedules: Schedules): Tool {
  return defineTool(
    {
      name: 'schedules_delete',
      description: 'Delete a schedule of the user. The user is asked first.',
      input: z.strictObject({ scheduleId: Id.describe('From schedules_list') }),
      capabilities: ['schedules.write'],
      risk: 'write',
      source,
      operation: 'delete',
      alwaysAsks: true,
    },
    async ({ scheduleId }, context) => {
      const { name } = await schedules.get(context.owner, scheduleId);
      await schedules.delete(context.owner, scheduleId);
      return `Deleted the schedule "${name}".`;
    },
  );
}

/** What an agent has to know of a schedule. */
function describe({ id, name, content, when, timeZone, state, nextAt, agentId, sessionId, lastRun }: Schedule) {
  const last = lastRun && { state: lastRun.state, at: lastRun.dueAt ?? lastRun.createdAt, error: lastRun.error };
  return { scheduleId: id, name, content, when, timeZone, state, nextAt, agentId, sessionId, lastRun: last };
}
