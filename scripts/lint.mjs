/**
 * `npm run lint`: what ESLint finds, and what the compiler does, both in one program of each project: to read and resolve all
 * files takes as long as either of them. Fails when there is anything.
 */
import { ESLint } from 'eslint';
import ts from 'typescript';
import { PROJECTS } from '../eslint.config.mjs';

const host = {
  ...ts.sys,
  getCanonicalFileName: (name) => name,
  getNewLine: () => ts.sys.newLine,
  onUnRecoverableConfigFileDiagnostic(fault) {
    throw new Error(ts.flattenDiagnosticMessageText(fault.messageText, ts.sys.newLine));
  },
};

function programOf(project) {
  const parsed = ts.getParsedCommandLineOfConfigFile(project, {}, host);
  return ts.createProgram({
    rootNames: parsed.fileNames,
    options: parsed.options,
    configFileParsingDiagnostics: parsed.errors,
  });
}

const programs = PROJECTS.map(programOf);
const parserOptions = { project: null, programs };
const eslint = new ESLint({ overrideConfig: { languageOptions: { parserOptions } } });
const linted = await eslint.lintFiles('.');
const formatter = await eslint.loadFormatter('stylish');
process.stdout.write(await formatter.format(linted));

const faults = programs.flatMap((program) => ts.getPreEmitDiagnostics(program));
process.stdout.write(ts.formatDiagnostics(faults, host));

const isLinted = linted.every(({ errorCount, warningCount }) => errorCount + warningCount === 0);
process.exitCode = isLinted && faults.length === 0 ? 0 : 1;
