/**
 * Four projects: `unit` runs the rules beside their code, `service` asks the built app over HTTP, `panel`
 * drives the built panel with a browser, `torture` kills and
 * crowds the service, in a short form unless OMS_TORTURE=long. Test files are compiled on the fly; what they test as a service is
 * the compiled app in `dist`, as in production.
 */
const nodeMajor = Number(process.versions.node.split('.')[0]);

// A PostgreSQL that is killed concerns nobody else; a crowd meets the same service on either database.
const tortures = [
  'kill',
  process.env.OMS_TEST_DATABASE === 'postgres' ? 'postgres-kill' : 'overload',
];

// Two servers share a database on PostgreSQL alone; what is the same on any database is tested on SQLite alone.
const elsewhere =
  process.env.OMS_TEST_DATABASE === 'postgres'
    ? [
        '<rootDir>/tests/api/(body|closed-paths|headers|origin|routing)\\.test',
        '<rootDir>/tests/boot/(demo|refused-start|served-files|writer-lock)\\.test',
        '<rootDir>/tests/contract/(error-catalog|generated|openapi|stages)\\.test',
      ]
    : ['<rootDir>/tests/api/sessions-shared'];

const shared = {
  rootDir: __dirname,
  testEnvironment: 'node',
  transform: {
    '^.+\\.ts$': ['@swc/jest', { jsc: { target: 'es2022' }, module: { type: 'commonjs' } }],
  },
  modulePathIgnorePatterns: ['<rootDir>/dist/src/plugins/.*/package\\.json', '<rootDir>/\\.'],
  moduleNameMapper: {
    // The compiled app; its types come from the sources (tests/tsconfig.json says the same).
    '^#app/(.*)$': '<rootDir>/dist/src/$1',
    // Jest keeps modules itself, so the choice that src/boot/sqlite-driver.ts makes has to be made here too.
    ...(nodeMajor >= 24 ? { '^better-sqlite3$': 'better-sqlite3-13' } : {}),
  },
};

module.exports = {
  projects: [
    { ...shared, displayName: 'unit', testMatch: ['<rootDir>/{src,scripts,config}/**/*.test.ts'] },
    {
      ...shared,
      displayName: 'service',
      testMatch: ['<rootDir>/tests/**/*.test.ts'],
      testPathIgnorePatterns: ['<rootDir>/tests/panel/', '<rootDir>/tests/torture/', ...elsewhere],
      setupFilesAfterEnv: ['<rootDir>/tests/helpers/timeout.ts'],
    },
    {
      ...shared,
      displayName: 'torture',
      testMatch: tortures.map((name) => `<rootDir>/tests/torture/${name}.test.ts`),
      setupFilesAfterEnv: ['<rootDir>/tests/helpers/timeout.ts'],
    },
    {
      ...shared,
      displayName: 'panel',
      testMatch: ['<rootDir>/tests/panel/**/*.test.ts'],
      setupFilesAfterEnv: ['<rootDir>/tests/helpers/timeout.ts'],
    },
  ],
  // A booted service keeps its modules; a worker that has grown is replaced between files.
  workerIdleMemoryLimit: '1GB',
  // Jest leaves one core idle; most of what runs here waits for a process or a database.
  maxWorkers: '100%',
};
