import { z } from 'zod';

/** The page's policy forbids making code from text, and even trying is reported. Must come before any schema. */
z.config({ jitless: true });
