import { faultOf } from './answer-faults';

const request = { method: 'GET', url: '/api/v0/export/asset?format=csv' } as const;

function csv(text: string) {
  const headers = { 'content-type': 'text/csv; charset=utf-8' };
  return { status: 200, headers, text, bytes: Buffer.from(text) };
}

test('a stack is the inside of the service, a cell that begins with one of its words is not', () => {
  const stack = 'Error: x\n    at async Promise.all (index 0)';
  expect(faultOf(request, csv(stack))).toBe('it shows the inside');
  expect(faultOf(request, csv(JSON.stringify({ stack })))).toBe('it shows the inside');
  expect(faultOf(request, csv('rights_holder\r\n\r\nat vero eos\r\n'))).toBeNull();
});
