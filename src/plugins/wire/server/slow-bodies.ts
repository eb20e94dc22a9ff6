/**
 * Limits the time of a body by its speed: a photograph over a poor mobile connection may take many minutes, a body that
 * hardly arrives may not. The size of every body is limited, and so is its time.
 */
import type { Server } from 'node:http';
import { hasBody } from './http';

/** Milliseconds that any body may take. */
const ANY = 60_000;

/** Bytes per second that have to come beyond that: 128 kbit/s, what EDGE gives. */
const MIN_RATE = 16 * 1024;

/** Milliseconds between two looks. */
const LOOK = 5000;

/** Whether a body of which this many bytes have arrived in this many milliseconds is too slow. */
export const isTooSlow = (bytes: number, milliseconds: number): boolean =>
  milliseconds > ANY && bytes < ((milliseconds - ANY) / 1000) * MIN_RATE;

/** What Node says of a request that takes longer than it may (https://nodejs.org/api/errors.html). */
const timeout = (): Error =>
  Object.assign(new Error('The body comes too slowly'), { code: 'ERR_HTTP_REQUEST_TIMEOUT' });

/** Ends requests whose body is too slow, as Node ends those whose head is: 408. */
export function boundBodies(server: Server): void {
  server.on('request', (req) => {
    if (!hasBody(req)) return;
    const { socket } = req;
    const [begun, before] = [performance.now(), socket.bytesRead];
    // No job: it watches one connection of this process.
    const look = setInterval(() => {
      if (req.complete) clearInterval(look);
      else if (isTooSlow(socket.bytesRead - before, performance.now() - begun)) {
        clearInterval(look);
        server.emit('clientError', timeout(), socket);
      }
    }, LOOK).unref();
    req.once('close', () => clearInterval(look));
  });
}
