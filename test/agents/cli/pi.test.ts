import { CLI, describeProgram } from './flows.ts';
import { describeMisbehaviour } from './misbehaviour.ts';
import { openScripted } from './scripted/open.ts';

describeProgram('a scripted Pi', () => openScripted('pi'), CLI);
describeMisbehaviour('a scripted Pi', () => openScripted('pi'));
