const { TestEnvironment } = require('jest-environment-node');

/**
 * Gives a test file the process and the modules of its worker. Jest loads every module anew for each test file, which costs
 * more than all else that a boot of the service does; what is tested as a service is loaded once per worker, by Node itself.
 */
module.exports = class NativeEnvironment extends TestEnvironment {
  constructor(...args) {
    super(...args);
    Object.assign(this.global, { Date, Error, process, nativeRequire: require });
  }
};
