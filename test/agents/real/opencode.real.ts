import { describeProgram } from '../cli/flows.ts';
import { ACP, openOpencodeAcp } from './acp-programs.ts';

describeProgram('the real opencode', openOpencodeAcp, ACP);
