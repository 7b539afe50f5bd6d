export default { fetch: () => new Response("countersign") };
