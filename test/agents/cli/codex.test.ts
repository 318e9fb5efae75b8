import { CLI, describeProgram } from './flows.ts';
import { describeMisbehaviour } from './misbehaviour.ts';
import { openScripted } from './scripted/open.ts';

describeProgram('a scripted Codex', () => openScripted('codex'), { ...CLI, plans: true, asks: true });
describeMisbehaviour('a scripted Codex', () => openScripted('codex'));
