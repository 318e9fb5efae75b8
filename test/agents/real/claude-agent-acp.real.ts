import { describeProgram } from '../cli/flows.ts';
import { ACP, openClaudeAgentAcp } from './acp-programs.ts';

describeProgram('the real claude-agent-acp', openClaudeAgentAcp, { ...ACP, steers: true, asks: true });
