import { CLI, describeProgram } from '../cli/flows.ts';
import { openRealPi } from './programs.ts';

describeProgram('the real Pi', openRealPi, CLI);
