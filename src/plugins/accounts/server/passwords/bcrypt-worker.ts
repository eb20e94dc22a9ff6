/** The thread that compares one password with a hash of bcrypt's, and ends. */
import { compareSync } from 'bcryptjs';
import { parentPort, workerData } from 'node:worker_threads';

const { password, kept } = workerData as { readonly password: string; readonly kept: string };
parentPort?.postMessage(compareSync(password, kept));
