import type { Command } from 'commander';
import type { ParleyClient } from '../../client/parley-client.ts';
import { confirm } from '../confirm.ts';
import { type HomeOption, withClient } from '../connect.ts';
import { print } from '../output.ts';
import { safeLine } from '../terminal-text.ts';
import { printSecret, sub } from './shared.ts';

interface Named {
  readonly id: string;
  readonly name: string;
}

/** What the commands that webhooks of both directions have alike call, and what they say of them. */
export interface Lifecycle {
  find(client: ParleyClient, name: string): Promise<Named>;
  pause(client: ParleyClient, id: string): Promise<Named>;
  resume(client: ParleyClient, id: string): Promise<Named>;
  renewSecret(client: ParleyClient, id: string): Promise<{ readonly secret: string }>;
  remove(client: ParleyClient, id: string): Promise<unknown>;
  readonly whilePaused: string;
  readonly deleting: string;
  /** Asked before a webhook of this name is deleted. */
  question(name: string): string;
}

/** `pause`, `resume`, `secret` and `delete`. */
export function defineLifecycle(command: Command, webhooks: Lifecycle): void {
  const change = (said: string, verb: 'pause' | 'resume') => (name: string, options: HomeOption) =>
    withClient(options, async ({ client }) => {
      const changed = await webhooks[verb](client, (await webhooks.find(client, name)).id);
      print(`${said} "${safeLine(changed.name)}".`);
    });
  sub(command, 'pause <webhook>', `pause a webhook; ${webhooks.whilePaused}`).action(change('Paused', 'pause'));
  sub(command, 'resume <webhook>', 'resume a paused or disabled webhook').action(change('Resumed', 'resume'));
  sub(command, 'secret <webhook>', 'make a new secret; the old one counts for another day').action(
    (name: string, options: HomeOption) =>
      withClient(options, async ({ client }) => {
        const { id } = await webhooks.find(client, name);
        printSecret((await webhooks.renewSecret(client, id)).secret);
      }),
  );
  sub(command, 'delete <webhook>', webhooks.deleting)
    .option('-y, --yes', 'do not ask for confirmation')
    .action((name: string, options: HomeOption & { yes?: boolean }) =>
      withClient(options, async ({ client }) => {
        const webhook = await webhooks.find(client, name);
        await confirm(webhooks.question(safeLine(webhook.name)), options.yes);
        await webhooks.remove(client, webhook.id);
        print(`Deleted "${safeLine(webhook.name)}".`);
      }),
    );
}
