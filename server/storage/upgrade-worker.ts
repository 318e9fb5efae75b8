import { parentPort, workerData } from 'node:worker_threads';
import { openHere, type UpgradeRequest } from './sqlite.ts';

const { file, synchronous } = workerData as UpgradeRequest;
const store = await openHere(file, { synchronous });
store.close();
parentPort!.postMessage(null);
