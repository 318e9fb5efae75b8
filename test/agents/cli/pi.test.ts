import { describeProgram } from './flows.ts';
import { describeMisbehaviour } from './misbehaviour.ts';
import { openScripted } from './scripted/open.ts';

describeProgram('a scripted Pi', () => openScripted('pi'), { showsDiffs: true });
describeMisbehaviour('a scripted Pi', () => openScripted('pi'));
