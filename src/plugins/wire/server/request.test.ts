import { splitTarget } from './request';

describe('a target', () => {
  test.each([
    ['/api/v0/a', '/api/v0/a', ''],
    ['/api/v0/a?', '/api/v0/a', ''],
    ['/a?b=c?d', '/a', 'b=c?d'],
    ['/a%20b?c=%00', '/a%20b', 'c=%00'],
    ['http://host.example/a?b', '/a', 'b'],
    ['https://user:pass@host.example:8080/a', '/a', ''],
    ['HTTP://HOST.EXAMPLE/A', '/A', ''],
    ['http://host.example', '/', ''],
    ['http://host.example?b', '/', 'b'],
    ['*', '*', ''],
  ])('%s is the path %s and the query %s', (url, path, search) => {
    expect(splitTarget(url)).toEqual({ path, search });
  });
});
