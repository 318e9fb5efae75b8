import { describeProgram } from './flows.ts';
import { describeMisbehaviour } from './misbehaviour.ts';
import { openScripted } from './scripted/open.ts';

describeProgram('a scripted Claude Code', () => openScripted('claude'), { showsDiffs: true });
describeMisbehaviour('a scripted Claude Code', () => openScripted('claude'));
