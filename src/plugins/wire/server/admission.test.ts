import type { IncomingMessage, ServerResponse } from 'node:http';
import { RequestAdmission } from './admission';
import { createRequest, type ApiRequest } from './request';

const requestOf = (): ApiRequest =>
  createRequest({ headers: {}, url: '/api/v0/session' } as IncomingMessage, {} as ServerResponse);

/** How many further requests are let in. */
function placesIn(admission: RequestAdmission): number {
  const entered: ApiRequest[] = [];
  for (;;) {
    const request = requestOf();
    try {
      admission.enter(request);
    } catch {
      for (const one of [...entered, request]) admission.leave(one);
      return entered.length;
    }
    entered.push(request);
  }
}

test('a request has one place until it leaves, and none while it waits', async () => {
  const admission = new RequestAdmission();
  const all = placesIn(admission);
  const request = requestOf();
  admission.enter(request);
  expect(placesIn(admission)).toBe(all - 1);
  const work = admission.leaveWhile(request, Promise.resolve('done'));
  expect(placesIn(admission)).toBe(all);
  expect(await work).toBe('done');
  expect(placesIn(admission)).toBe(all - 1);
  admission.leave(request);
  expect(placesIn(admission)).toBe(all);
});

test('work that ends after the answer takes no place', async () => {
  const admission = new RequestAdmission();
  const all = placesIn(admission);
  const request = requestOf();
  admission.enter(request);
  const failing = admission.leaveWhile(request, Promise.reject(new Error('late')));
  admission.leave(request);
  await expect(failing).rejects.toThrow('late');
  expect(placesIn(admission)).toBe(all);
});
