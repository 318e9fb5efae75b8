import { describeProgram } from '../cli/flows.ts';
import { ACP, openPiAcp } from './acp-programs.ts';

describeProgram('the real pi-acp', openPiAcp, { ...ACP, asksFirst: false, usesParley: false, showsDiffs: false });
