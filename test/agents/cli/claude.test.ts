import { CLI, describeProgram } from './flows.ts';
import { describeMisbehaviour } from './misbehaviour.ts';
import { openScripted } from './scripted/open.ts';

describeProgram('a scripted Claude Code', () => openScripted('claude'), { ...CLI, plans: true, asks: true });
describeMisbehaviour('a scripted Claude Code', () => openScripted('claude'));
