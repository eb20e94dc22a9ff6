/** Jest's transform of the compiled app: its modules are those that Node has loaded. */
module.exports = {
  process: (_source, path) => ({
    code: `module.exports = nativeRequire(${JSON.stringify(path)});`,
  }),
};
