import { driverFor } from './sqlite-driver';

test.each([
  [20, 'better-sqlite3', [12]],
  [22, 'better-sqlite3', [12, 13]],
  [24, 'better-sqlite3-13', [13]],
])('Node %i runs %s of version %j', (node, name, majors) => {
  expect(driverFor(node)).toEqual({ package: name, majors });
});
