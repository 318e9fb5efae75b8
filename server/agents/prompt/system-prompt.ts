import { framingFor } from './framing.ts';
import {
  type AgentLine,
  type ArtifactLine,
  agentSection,
  artifactSection,
  delegateSection,
  knowledgeSection,
  MESSAGE_CONTEXT,
  type PanelLine,
  panelSection,
  type SkillLine,
  skillSection,
  startingSection,
  type ToolLine,
  toolSection,
} from './sections.ts';

export interface PromptedAgent {
  readonly agentId: string;
  readonly displayName: string;
  readonly description: string;
  readonly systemPrompt: string | null;
}

/** What a request offers besides the conversation. What is absent or empty is not mentioned. */
export interface PromptSections {
  readonly tools?: readonly ToolLine[];
  /** MCP servers that are still starting. */
  readonly starting?: readonly string[];
  readonly skills?: readonly SkillLine[];
  readonly artifactItems?: readonly ArtifactLine[];
  /** There are more than these. */
  readonly hasMoreArtifacts?: boolean;
  /** The person's messages may begin with a line about what they are looking at. */
  readonly messageContext?: boolean;
  readonly panels?: readonly PanelLine[];
  /** The files and notes that the agent can search, by name. */
  readonly knowledge?: readonly string[];
  readonly agents?: readonly AgentLine[];
  /** `agents_message` is offered. */
  readonly canMessage?: boolean;
  /** The agents that `<delegate>` tags can address; null when the tags are plain text. */
  readonly delegates?: readonly AgentLine[] | null;
  readonly guest: boolean;
  readonly othersSpoke: boolean;
}

/** Base prompt first, framing last: what may change from one request to the next comes after what does not. */
export function buildSystemPrompt(agent: PromptedAgent, sections: PromptSections): string {
  const parts = [basePrompt(agent), ...(sections.guest ? [] : offered(sections)), framingFor(sections)];
  return parts.filter((part) => part !== null).join('\n\n');
}

export function basePrompt(agent: PromptedAgent): string {
  return agent.systemPrompt?.trim() || `You are ${agent.displayName}. ${agent.description}`.trim();
}

/** What changes while people and agents work comes last, so that providers need not read anew what is before it. */
function offered(sections: PromptSections): (string | null)[] {
  return [
    toolSection(sections.tools ?? []),
    skillSection(sections.skills ?? []),
    sections.messageContext ? MESSAGE_CONTEXT : null,
    agentSection(sections.agents ?? [], sections.canMessage ?? false),
    delegateSection(sections.delegates ?? []),
    knowledgeSection(sections.knowledge ?? []),
    startingSection(sections.starting ?? []),
    artifactSection(sections.artifactItems ?? [], sections.hasMoreArtifacts ?? false),
    panelSection(sections.panels ?? []),
  ];
}
