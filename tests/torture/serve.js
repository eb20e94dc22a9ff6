/**
 * The built app as a process that lets anybody write, for tests that end it. It has no listener for rejections, so
 * that one ends the process. Asked over the channel, it says how late its event loop has been since it was last asked.
 *
 *   node serve.js <path of dist/src/boot/boot.js>
 */
const { monitorEventLoopDelay } = require('node:perf_hooks');

const delay = monitorEventLoopDelay({ resolution: 10 });
const milliseconds = (nanoseconds) => Math.round(nanoseconds / 1e5) / 10;

process.on('message', () => {
  process.send({ p50: milliseconds(delay.percentile(50)), max: milliseconds(delay.max) });
  delay.reset();
});

// Whoever ran this has gone, however that came: nothing stays behind.
process.on('disconnect', () => process.exit());

// A bound on the size of files stands for a full disk, which refuses a write and sends no signal.
process.on('SIGXFSZ', () => undefined);

require(process.argv[2])
  .boot({ anonymousActsAs: 'administrator' })
  .then(({ url }) => {
    delay.enable();
    console.log(`ready ${url} `);
  });
