# WEBrick. Argument: the port. Any method is served.
require "webrick"

class Any < WEBrick::HTTPServlet::AbstractServlet
  def service(request, response)
    response.body = "served #{request["host"]}\n"
  end
end
server = WEBrick::HTTPServer.new(BindAddress: "127.0.0.1", Port: ARGV[0].to_i, AccessLog: [])
server.mount("/", Any)
server.start
