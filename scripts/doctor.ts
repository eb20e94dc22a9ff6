/** `npm run doctor`: says what an operator should know of an installation. */
import { parseArgs } from 'node:util';
import { hiddenLines, hiddenNow } from '../src/api/encounter/hidden-now';
import { boot } from '../src/boot/boot';
import { lineOf, type Finding } from '../src/boot/doctor/findings';
import {
  examineAddress,
  examineBackupSettings,
  examineMail,
  examineModes,
  examineNode,
  examineRoom,
  examineVariables,
} from '../src/boot/doctor/machine';
import { examineStored } from '../src/boot/doctor/stored';
import { readEnvironment, type Environment } from '../src/boot/environment';
import { onSnapshot } from '../src/boot/on-snapshot';
import { exitWith, useProduction } from '../src/boot/run';

const USAGE = `Usage: npm run doctor

Examines settings, modes, clock, proxy, mail, storage, database, room and versions, a line each, which says what to do:
"wrong" does not work or risks data (exit code 1), "look" may be meant so. Says in numbers what strangers are not told of
encounters, and which settings of the site decide over it. It may run beside a service. For these numbers, with SQLite it reads a copy of the database; with PostgreSQL it is a start of this release, which
carries out pending migrations first.`;

void main();

async function main(): Promise<void> {
  useProduction();
  process.env.LOG_LEVEL ||= 'warn';
  try {
    const { values } = parseArgs({ options: { help: { type: 'boolean', default: false } } });
    if (values.help) return end(`${USAGE}\n`);
    const environment = readEnvironment();
    const findings = await examine(environment);
    // A service does not start with it, nor does this script.
    const isSound = !findings.some(({ about, level }) => level === 'wrong' && NEEDED.has(about));
    if (isSound) await onSnapshot(diagnose);
    const isWell = !findings.some(({ level }) => level === 'wrong');
    end(`${findings.map(lineOf).join('\n')}\n`, isWell ? 0 : 1);
  } catch (error) {
    exitWith(error);
  }
}

async function diagnose(): Promise<void> {
  const service = await boot({ listen: false, announce: () => undefined });
  try {
    const counted = await hiddenNow(service.strapi, new AbortController().signal);
    process.stdout.write(`${hiddenLines(counted).join('\n')}\n`);
  } finally {
    await service.close();
  }
}

/** What there has to be for a start on the database. */
const NEEDED: ReadonlySet<string> = new Set(['database', 'release', 'storage']);

async function examine(environment: Environment): Promise<Finding[]> {
  return [
    examineNode(),
    ...examineVariables(process.env),
    ...examineAddress(environment),
    ...examineModes(environment),
    await examineRoom(environment),
    await examineMail(environment),
    ...examineBackupSettings(environment),
    ...(await examineStored(environment)),
  ];
}

function end(text: string, code = 0): void {
  process.stdout.write(text, () => process.exit(code));
}
