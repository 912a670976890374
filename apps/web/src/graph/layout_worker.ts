export {};
postMessage(1);
