/** A worker thread that compares one password with a bcrypt hash, and exits. */
import { compareSync } from 'bcryptjs';
import { parentPort, workerData } from 'node:worker_threads';

const { password, kept } = workerData as { readonly password: string; readonly kept: string };
parentPort?.postMessage(compareSync(password, kept));
