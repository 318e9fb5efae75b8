import type { ToolRisk } from '../../contract/tools.ts';

/** Where a program finds the tools of one turn. */
export interface ToolEndpoint {
  /** Streamable HTTP, on this machine. */
  readonly url: string;
  /** Shown as `Authorization: Bearer …`. It ends with the turn. */
  readonly token: string;
  /** For programs that only speak MCP over stdio: what they start instead, with these variables. */
  readonly bridge: {
    readonly command: string;
    readonly args: readonly string[];
    readonly env: Readonly<Record<string, string>>;
  };
}

/** A tool that the agent wants to run itself. */
export interface OwnCall {
  /** What the agent calls it. */
  readonly callId: string;
  readonly name: string;
  readonly description?: string;
  /** Arguments as JSON text, complete: the person is shown all that would run. */
  readonly input: string;
  /** `read` looks at something, `write` changes files of the workspace, `execute` runs commands or acts beyond it. */
  readonly risk: ToolRisk;
  /** It can send what the agent knows to another machine, such as a search on the web. `execute` always counts as this. */
  readonly sends?: boolean;
  /** Where it would work. */
  readonly folder?: string;
  /** What it would bring about, such as a diff. */
  readonly result?: string;
}

/** `input`: the person has changed the arguments. An agent that cannot run the tool with these does not run it. */
export type Permission =
  | { readonly allowed: true; readonly input?: string }
  | { readonly allowed: false; readonly reason: string };

export interface PersonAnswer {
  readonly text?: string | undefined;
  readonly values?: Readonly<Record<string, unknown>> | undefined;
}
