import type { VoiceWay } from './choose-way.ts';
import type { Hearing, Listening } from './hearing.ts';
import { recognise } from './recognise.ts';
import { record } from './record.ts';

export function listen(way: Exclude<VoiceWay, 'none'>, hearing: Hearing): Promise<Listening> {
  switch (way) {
    case 'local':
    case 'download':
    case 'remote':
      return recognise(way, hearing);
    case 'server':
      return record(hearing);
    default:
      return way satisfies never;
  }
}
