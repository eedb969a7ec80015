#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <errno.h>
#include <unistd.h>
#include <signal.h>
#include <time.h>
#include <mqueue.h>
#include <fcntl.h>
mqd_t q;int x;void*w(void*a){char b[64];mq_receive(q,b,64,0);return (void*)(long)x;}
int main(){char n[64];sprintf(n,"/omnq%d",getpid());struct mq_attr a={0,2,64,0};q=mq_open(n,O_CREAT|O_RDWR,0600,&a);if(q==(mqd_t)-1)return 0;mq_unlink(n);pthread_t t;void*r;pthread_create(&t,0,w,0);x=3;mq_send(q,"a",1,0);pthread_join(t,&r);return r!=(void*)3;}
