// Loaded into a server with --import: its clock is off by as many milliseconds as the file says.
import { readFileSync } from 'node:fs';

const now = Date.now;
Date.now = () => now() + Number(readFileSync(process.env.CLOCK_OFFSET_FILE, 'utf8'));
