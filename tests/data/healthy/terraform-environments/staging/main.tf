module "web" {
  source           = "../modules/web"
  idle_timeout     = 60
  app_keep_alive   = 65
  stop_timeout     = 40
  deregister_delay = 10
}
