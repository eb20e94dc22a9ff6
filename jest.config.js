/**
 * Five projects: `unit` runs the unit tests beside the code, `service` tests the built app over HTTP, `client` the built
 * package `clients/typescript` against it, `panel` drives the built panel with a browser, `torture` kills and overloads the
 * service (briefly, unless OMS_TORTURE=long). Test files are compiled on the fly; the service under test is the compiled app in
 * `dist`, as in production.
 */
const { readdirSync, readFileSync } = require('node:fs');
const { join } = require('node:path');

const nodeMajor = Number(process.versions.node.split('.')[0]);

const database = process.env.OMS_TEST_DATABASE === 'postgres' ? 'postgres' : 'sqlite';

/**
 * The tests of a folder that run on this database: on SQLite all but those that say otherwise in their first line
 * (`// @databases sqlite postgres`). On PostgreSQL runs what a database decides: SQL, locks, uniqueness, order, time.
 */
function onThisDatabase(...folders) {
  const files = folders.flatMap((folder) =>
    readdirSync(join(__dirname, 'tests', folder)).map((name) => join('tests', folder, name)),
  );
  return files.filter((file) => {
    if (!file.endsWith('.test.ts')) return false;
    const [, databases = 'sqlite'] =
      /^\/\/ @databases (.*)/.exec(readFileSync(join(__dirname, file), 'utf8')) ?? [];
    return databases.split(' ').includes(database);
  });
}

const testMatch = (...folders) => onThisDatabase(...folders).map((file) => `<rootDir>/${file}`);

const withDatabase = {
  globalSetup: '<rootDir>/tests/helpers/template.ts',
  globalTeardown: '<rootDir>/tests/helpers/drop-template.ts',
};

const transform = {
  '^.+\\.ts$': ['@swc/jest', { jsc: { target: 'es2022' }, module: { type: 'commonjs' } }],
};

/** What boots the service in the process of the tests. */
const inProcess = {
  testEnvironment: '<rootDir>/tests/helpers/native-environment.js',
  transform: { ...transform, '/dist/.+\\.js$': '<rootDir>/tests/helpers/native-module.js' },
};

const shared = {
  rootDir: __dirname,
  testEnvironment: 'node',
  setupFilesAfterEnv: ['<rootDir>/tests/helpers/timeout.ts'],
  transform,
  modulePathIgnorePatterns: ['<rootDir>/dist/src/plugins/.*/package\\.json', '<rootDir>/\\.'],
  moduleNameMapper: {
    // The compiled app; its types come from the sources (tests/tsconfig.json says the same).
    '^#app/(.*)$': '<rootDir>/dist/src/$1',
    '^@oms/client$': '<rootDir>/clients/typescript/dist/cjs/index.js',
    '^@oms/client/outbox$': '<rootDir>/clients/typescript/dist/cjs/outbox/index.js',
    // Jest keeps modules itself, so the choice that src/boot/sqlite-driver.ts makes has to be made here too.
    ...(nodeMajor >= 24 ? { '^better-sqlite3$': 'better-sqlite3-13' } : {}),
  },
};

module.exports = {
  projects: [
    {
      ...shared,
      displayName: 'unit',
      testMatch: ['<rootDir>/{src,scripts,config,bench,tests/helpers}/**/*.test.ts'],
    },
    {
      ...shared,
      ...inProcess,
      displayName: 'service',
      testMatch: testMatch('api', 'boot', 'contract', 'fuzz', 'generate', 'import'),
      ...withDatabase,
    },
    {
      ...shared,
      displayName: 'client',
      testMatch: testMatch('client'),
      ...withDatabase,
    },
    {
      ...shared,
      displayName: 'torture',
      testMatch: testMatch('torture'),
      ...withDatabase,
    },
    {
      ...shared,
      ...inProcess,
      displayName: 'panel',
      testMatch: testMatch('panel'),
      ...withDatabase,
    },
  ],
  testSequencer: '<rootDir>/tests/helpers/longest-first.js',
  reporters: ['default', '<rootDir>/tests/helpers/slowest-files.js'],
  // A booted service keeps its modules; a worker that has grown is replaced between files.
  workerIdleMemoryLimit: '1GB',
  // Jest leaves one core idle; most of what runs here waits for a process or a database.
  maxWorkers: '100%',
};
