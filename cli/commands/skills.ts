import type { Command } from 'commander';
import type { SkillInfo } from '../../contract/tools.ts';
import { type HomeOption, withClient } from '../connect.ts';
import { look, print, printJson } from '../output.ts';
import { safeLine } from '../terminal-text.ts';

interface SkillsOptions extends HomeOption {
  agent?: string;
  json?: boolean;
}

export function define(command: Command): void {
  command
    .description('List skills: plugins that agents use on the command line, as described in a SKILL.md.')
    .option('-a, --agent <agent>', 'only what this agent can use')
    .option('--json', 'as JSON')
    .option('--home <folder>', 'the data folder')
    .action(skills);
}

async function skills(options: SkillsOptions): Promise<void> {
  await withClient(options, async ({ client }) => {
    const { skills } = await client.call('listSkills', { query: { agent: options.agent } });
    if (options.json) return printJson(skills);
    if (skills.length === 0) print(options.agent ? `${options.agent} has no skills.` : 'No skills.');
    for (const skill of skills) printSkill(skill);
  });
}

function printSkill({ id, description, command, operations, skillPath }: SkillInfo): void {
  print(`${look().bold(safeLine(id))}  ${safeLine(description)}`);
  print(`  ${safeLine(command)} ${safeLine(operations.join(' | '))}`);
  print(`  ${look().dim(safeLine(skillPath))}`);
}
