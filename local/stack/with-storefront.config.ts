import settings from '../../connector.config.ts';
import { withStorefront } from '../../shared/config/connector-config.ts';

/** The settings of `npm start` when the settings of the stage have no storefront. */
export default withStorefront(settings);
