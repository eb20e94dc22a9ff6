/**
 * A process that runs scripts of the app one after the other, each as `node dist/scripts/<script>.js` would, but with the
 * modules of the app loaded once: that takes most of the time of a short script. After each run what the process holds open
 * (files, sockets, pipes of further processes: all are file descriptors) is compared with what it held before. Where anything
 * is left the process really ends, as it would have after a run of its own, and another one takes its place (`process.ts`).
 *
 * A run is asked for over the channel, which tells its code in the end; behind the last output each of the two streams has a NUL.
 */
const { readdirSync, readlinkSync } = require('node:fs');
const { join } = require('node:path');
const { setTimeout: sleep } = require('node:timers/promises');

/** Milliseconds in which what has been closed goes. */
const PATIENCE = 300;
/** Bytes that a process may have: above it, another one takes its place. */
const MOST_MEMORY = 900 * 2 ** 20;

const reallyExit = process.exit.bind(process);
/** Thrown where a script has ended: nothing after it may run. */
const ENDED = new Error('the script has ended');

/** The run under way: what there was before it. */
let run = null;

process.on('message', ({ script, args, env }) => {
  for (const name of Object.keys(process.env)) delete process.env[name];
  Object.assign(process.env, env);
  const file = join(process.cwd(), 'dist', 'scripts', `${script}.js`);
  process.argv.splice(1, process.argv.length, file, ...args);
  process.exitCode = undefined;
  run = { listeners: listenersNow(), isEnded: false };
  delete require.cache[file];
  try {
    require(file);
  } catch (error) {
    if (error !== ENDED) fail(error);
  }
});

// Whoever ran this has gone, however that came: nothing stays behind.
process.on('disconnect', () => reallyExit());
process.on('unhandledRejection', (error) => error === ENDED || fail(error));
process.on('uncaughtException', (error) => error === ENDED || fail(error));

const write = Object.fromEntries(
  ['stdout', 'stderr'].map((name) => [name, process[name].write.bind(process[name])]),
);
for (const name of ['stdout', 'stderr'])
  process[name].write = (...args) => {
    if (run && !run.isEnded) return write[name](...args);
    args.find((arg) => typeof arg === 'function')?.();
    return true;
  };

process.exit = (code = process.exitCode ?? 0) => {
  if (run && !run.isEnded) {
    process.emit('exit', code);
    run.isEnded = true;
    void end(code);
  }
  throw ENDED;
};

async function end(code) {
  const { listeners } = run;
  const until = Date.now() + PATIENCE;
  while (!isClean() && Date.now() < until) await sleep(10);
  if (!isClean() || process.memoryUsage.rss() > MOST_MEMORY) return reallyExit(code);
  for (const [event, before] of listeners)
    for (const listener of process.listeners(event))
      if (!before.has(listener)) process.off(event, listener);
  run = null;
  for (const name of ['stdout', 'stderr']) write[name]('\0');
  process.send(code);
}

/** As Node does. */
function fail(error) {
  write.stderr(`${error?.stack ?? error}\n`);
  reallyExit(1);
}

/** The listeners that a run may add: a module that is loaded stays, and so do those that it has added to `exit`. */
const SIGNALS = ['SIGTERM', 'SIGINT', 'SIGHUP', 'SIGUSR2'];
const listenersNow = () =>
  new Map(SIGNALS.map((event) => [event, new Set(process.listeners(event))]));

/** What each of the open file descriptors is of. */
function openNow() {
  return readdirSync('/proc/self/fd').flatMap((fd) => {
    try {
      return [readlinkSync(`/proc/self/fd/${fd}`)];
    } catch {
      return []; // of the listing itself
    }
  });
}

const before = new Set(openNow());
/** Node itself opens more of its own: `anon_inode`, devices. */
const isClean = () =>
  openNow().every((one) => before.has(one) || /^anon_inode:|^\/dev\//.test(one));
