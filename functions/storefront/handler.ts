import connector from '#settings';
import { createStorefrontFunction } from '../create-storefront.ts';

/** The text of the widget, put in when the function is bundled. */
declare const WIDGET_SCRIPT: string;

export const handler = createStorefrontFunction(connector, WIDGET_SCRIPT);
