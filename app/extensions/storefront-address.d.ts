/** Where the shop's storefront answers, with the shop's path and without a slash at the end; put in by `app write`. */
declare const STOREFRONT_ADDRESS: string;
