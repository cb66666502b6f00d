/** The settings of the stage: infra/bundle-functions.ts puts its file here. */
declare module '#settings' {
  const connector: import('../shared/config/connector-config.ts').Connector;
  export default connector;
}
