module omnilink

go 1.19
