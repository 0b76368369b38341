// In the place of an optional module: what asks for it goes on without.
throw new Error('this module is not in the bundle');
