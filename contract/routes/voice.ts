import { Transcript } from '../voice.ts';
import type { Route } from './route.ts';

export const VOICE_ROUTES = {
  transcribe: {
    method: 'POST',
    path: '/api/transcriptions',
    access: 'member',
    summary: 'Transcribe a recording; nothing is stored',
    upload: true,
    status: 200,
    response: Transcript,
  },
} as const satisfies Record<string, Route>;
