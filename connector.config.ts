/**
 * The settings of this clone, for `npm start` and `npm run deploy`: those that `loyalty-connector init` writes into a
 * new project, where each has its comment. To try others, put `export default defineConnector({ … })` here.
 */
export { default } from './scripts/connector/set-up/template/connector.config.ts';
