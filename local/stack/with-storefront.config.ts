import settings from '../../connector.config.ts';
import { withStorefront } from '../../shared/config/connector-config.ts';

/** What `npm start` runs where the settings have no storefront: it costs nothing here, and can be seen. */
export default withStorefront(settings);
