// The port is fixed when the server is built.
export default {
  http: { port: Number(process.env["PORT"]) },
  stdio: true,
  paths: { tools: "src/tools", prompts: false, resources: false },
};
