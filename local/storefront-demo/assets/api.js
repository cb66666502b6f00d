window.SwaggerUIBundle({
  domNode: document.getElementById('api'),
  url: '/api.yaml',
  deepLinking: true,
  // A storefront's server asks, not a browser.
  supportedSubmitMethods: [],
  docExpansion: 'list',
  defaultModelsExpandDepth: 0,
  defaultModelRendering: 'model',
  validatorUrl: null,
});
