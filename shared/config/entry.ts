// The package exports this file as `loyalty-connector`: what a settings file needs, and nothing that would
// make a function's bundle larger.
export type { StoreOrder } from '../store/store-entities.ts';
export { type Connector, type ConnectorSettings, defineConnector } from './connector-config.ts';
